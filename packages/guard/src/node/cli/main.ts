#!/usr/bin/env node
import { buffer } from 'node:stream/consumers'
import { run } from './run.ts'

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // The reader, such as `head`, has read enough. The command still ends what it began: it may be paying.
    if (error.code !== 'EPIPE') throw error
  })
}

process.exitCode = await run(process.argv.slice(2), {
  out: (line) => process.stdout.write(`${line}\n`),
  err: (line) => process.stderr.write(`${line}\n`),
  write: (bytes) =>
    new Promise((resolve, reject) => {
      process.stdout.write(bytes, (error) => (error ? reject(error) : resolve()))
    }),
  read: () => buffer(process.stdin),
  isTerminal: process.stdout.isTTY === true,
  env: process.env,
  fetch: globalThis.fetch,
})
