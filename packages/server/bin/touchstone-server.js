#!/usr/bin/env node
// In place before the build, so that installing a checkout links the command.
// An older Node must be able to parse this file: it would end at the first newer function without a reason.
const version = process.versions.node
const [major, minor] = version.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`touchstone-server needs Node 20.19 or newer; this is v${version}.\n`)
  process.exitCode = 1
} else {
  import('../dist/main.js')
}
