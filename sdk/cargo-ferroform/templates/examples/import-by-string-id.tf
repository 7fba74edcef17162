import {
  to = @NAME@_note.greeting
  id = "greeting"
}
