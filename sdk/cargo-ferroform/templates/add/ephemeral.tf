ephemeral "@TYPE@" "example" {
  name = "example"
}
