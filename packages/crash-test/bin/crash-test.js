#!/usr/bin/env node
// In place before the build, so that installing a checkout links the command.
import '../dist/main.js'
