import WaymarkService

@testable import waymark_station

/// The keys of the station, which has all features.
let stationSchema = ConfigurationSchema(Station.features)
