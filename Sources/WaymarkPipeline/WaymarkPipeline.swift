// WaymarkPipeline
