// WaymarkBarcodes
