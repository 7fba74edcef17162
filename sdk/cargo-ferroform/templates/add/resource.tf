resource "@TYPE@" "example" {
  name = "example"
}
