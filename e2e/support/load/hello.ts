// Baseline for benchmarks: a hello-world server on `raw` node:http or on `express`.
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { startLoopDelay } from '../loopDelay.ts'

const app = express()
app.get('/', (_request, response) => {
  response.json({ hello: 'world' })
})
const raw: RequestListener = (_request, response) => {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 17 })
  response.end('{"hello":"world"}')
}
const server = createServer(process.env.HELLO === 'express' ? app : raw)
server.listen(0, '127.0.0.1', () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
})
const delays = startLoopDelay()
process.on('message', ({ isStart = false }: { isStart?: boolean }) => {
  const { user, system } = process.cpuUsage()
  process.send?.({
    cpuMs: (user + system) / 1000,
    rssMb: process.memoryUsage.rss() / 2 ** 20,
    probes: 0,
    discoveries: 0,
    delayP99Ms: delays.p99Ms(),
  })
  if (isStart) delays.reset()
})
