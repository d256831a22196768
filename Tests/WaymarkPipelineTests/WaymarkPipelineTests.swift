// WaymarkPipelineTests
