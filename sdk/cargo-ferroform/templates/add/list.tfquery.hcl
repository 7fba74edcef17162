list "@TYPE@" "all" {
  provider = @NAME@
}
