"""What turns a game into a service: matches in memory, answers over gRPC."""
