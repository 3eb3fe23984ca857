import { IncomingMessage, ServerResponse } from 'node:http'
import express from 'express'
import { expect, test } from 'vitest'
import { createMessages } from './messages.ts'
import { listen } from './testing/listen.ts'

test('default: Express finds nothing to change in them, and answers as ever', async () => {
  const app = express()
  app.get('/', (request, response) => response.json({ host: request.hostname, app: request.app === app }))
  const messages = createMessages(app)
  const prototypes: object[] = []
  const origin = await listen(
    Object.assign(
      (request: IncomingMessage, response: ServerResponse) => {
        const both = () => prototypes.push(Object.getPrototypeOf(request), Object.getPrototypeOf(response))
        both()
        app(request, response)
        both()
      },
      { messages },
    ),
  )
  expect(await (await fetch(origin)).json()).toEqual({ host: '127.0.0.1', app: true })
  const own = [messages.IncomingMessage.prototype, messages.ServerResponse.prototype]
  expect(prototypes).toHaveLength(4)
  for (const [index, prototype] of prototypes.entries()) expect(prototype === own[index % 2]).toBe(true)
  expect(own[0]).toBeInstanceOf(IncomingMessage)
  expect(own[1]).toBeInstanceOf(ServerResponse)
})
