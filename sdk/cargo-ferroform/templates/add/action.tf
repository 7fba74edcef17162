# docs: validate
action "@TYPE@" "example" {
  config {
    name = "example"
  }
}
