# docs: validate
data "@NAME@_note" "greeting" {
  name = "greeting"
}

output "greeting" {
  value = data.@NAME@_note.greeting.text
}
