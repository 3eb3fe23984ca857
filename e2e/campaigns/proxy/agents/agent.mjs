// Calls each "METHOD URL SECONDS" of standard input through the proxy, and repeats a call that took longer.
import { createInterface } from 'node:readline'

const { PROXY, TOKEN } = process.env

async function call(line) {
  const [method, url, seconds] = line.split(' ')
  for (let tries = 0; tries < 20; tries++) {
    console.log(`@@ ${method} ${url}`)
    try {
      const signal = AbortSignal.timeout(1000 * seconds)
      const answer = await fetch(`${PROXY}/${url}`, {
        method,
        signal,
        headers: { 'Touchstone-Token': TOKEN },
      })
      const headers = [...answer.headers].map((header) => header.join(': ')).join('\n')
      console.log(`HTTP/1.1 ${answer.status}\n${headers}\n\n${await answer.text()}`)
      return
    } catch (error) {
      if (error.name !== 'TimeoutError') throw error
    }
  }
}

for await (const line of createInterface({ input: process.stdin })) await call(line)
