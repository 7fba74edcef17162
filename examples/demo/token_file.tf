# Beside main.tf, for Terraform 1.10 and OpenTofu 1.11 or later.
# The token is in the file while something uses it. The state and the plan have neither.
ephemeral "demo_token_file" "build" {
  name = "build.token"
}

resource "demo_directory" "build" {
  name = "build"

  provisioner "local-exec" {
    command = "test $(cat $ROOT/build.token) = $TOKEN"
    environment = {
      ROOT  = var.root
      TOKEN = ephemeral.demo_token_file.build.value
    }
  }
}
