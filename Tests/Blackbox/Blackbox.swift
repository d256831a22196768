// Blackbox
