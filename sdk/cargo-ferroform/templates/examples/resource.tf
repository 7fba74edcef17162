resource "@NAME@_note" "greeting" {
  name = "greeting"
  text = "hello"
}
