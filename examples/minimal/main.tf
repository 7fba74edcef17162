terraform {
  required_providers {
    minimal = { source = "example.com/ferroform/minimal" }
  }
}

resource "minimal_note" "hello" {
  path = "hello.txt"
  text = "Hello, world!\n"
}
