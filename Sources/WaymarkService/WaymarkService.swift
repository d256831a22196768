// WaymarkService
