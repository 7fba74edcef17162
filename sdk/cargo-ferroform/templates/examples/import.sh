terraform import @NAME@_note.greeting greeting
