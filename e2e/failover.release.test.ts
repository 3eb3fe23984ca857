import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { checksNoAnswers } from './contract/checksNoAnswers.ts'
import { startNginxExample } from './support/proxies/nginxExample.ts'

checksNoAnswers('stand-ins of the service answer, which count what reaches them')

/** Ways in which a call carries a payment. */
const PAYMENTS = [
  (id: string) => ({ 'payment-signature': id }),
  (id: string) => ({ 'x-payment': id }),
  (id: string) => ({ authorization: `Payment ${id}` }),
] as const

const idOf = ({ headers }: IncomingMessage) =>
  headers['payment-signature'] ?? headers['x-payment'] ?? headers.authorization

/** Starts a stand-in of an `api` process, which can die with its calls and come back at its port. */
async function startApi() {
  const ids: string[] = []
  let [calls, answered] = [0, 0]
  let server: Server
  let answer = (response: ServerResponse) => void setTimeout(() => response.end('ok'), 5)
  const onCall = (request: IncomingMessage, response: ServerResponse) => {
    calls++
    const id = idOf(request)
    if (id !== undefined) ids.push(String(id))
    response.on('finish', () => answered++)
    request.resume().on('end', () => answer(response))
  }
  const listen = (port: number) =>
    new Promise<number>((resolve) => {
      server = createServer(onCall).listen(port, '127.0.0.1', () =>
        resolve((server.address() as { port: number }).port),
      )
    })
  const die = () => {
    server.close()
    server.closeAllConnections()
  }
  const port = await listen(0)
  onTestFinished(() => {
    if (server.listening) die()
  })
  return {
    origin: `http://127.0.0.1:${port}`,
    /** Ids of the payments that reached it. */
    ids,
    calls: () => calls,
    answered: () => answered,
    die,
    comeBack: () => listen(port),
    /** Sets what happens to a call that was read. */
    onAnswer(change: typeof answer) {
      answer = change
    },
  }
}

const LIMIT_MS = 60_000

test('behavior: an api that dies and returns under load costs no free call, and no payment is sent twice', async () => {
  const [first, second] = await Promise.all([startApi(), startApi()])
  const { ask } = await startNginxExample([first.origin, second.origin])
  const failed: string[] = []
  const cut: string[] = []
  let [free, paid, isOver] = [0, 0, false]
  const loadFree = async () => {
    while (!isOver) {
      const { status } = await ask('/verify')
      free++
      if (status !== 200) failed.push(`${status}`)
    }
  }
  const loadPaid = async (worker: number) => {
    while (!isOver) {
      const way = paid++ % PAYMENTS.length
      const id = `${worker}-${paid}`
      const { status } = await ask('/trust', PAYMENTS[way]?.(id), paid % 2 === 0 ? 'GET' : 'POST')
      if (status !== 200) cut.push(id)
      await sleep(1)
    }
  }
  const load = [
    ...Array.from({ length: 8 }, () => loadFree()),
    ...Array.from({ length: 4 }, (_, worker) => loadPaid(worker)),
  ]
  const until = (reached: () => boolean) => vi.waitUntil(reached, { timeout: LIMIT_MS, interval: 5 })
  for (let round = 0; round < 3; round++) {
    const atFirst = first.answered()
    const atSecond = second.answered()
    await until(() => first.answered() > atFirst + 100 && second.answered() > atSecond + 100)
    second.die()
    const alone = first.answered()
    await until(() => first.answered() > alone + 200)
    await second.comeBack()
    // nginx tries it again after a while.
    const back = second.answered()
    await until(() => second.answered() > back)
  }
  isOver = true
  await Promise.all(load)

  expect(free).toBeGreaterThan(600)
  expect(failed).toEqual([])
  const reached = [...first.ids, ...second.ids].map((id) => id.replace('Payment ', ''))
  expect(reached.length).toBeGreaterThan(300)
  expect(reached.length).toBe(new Set(reached).size)
  // At most the calls of each death were cut, and each of them was sent before.
  expect(cut.length).toBeLessThanOrEqual(12)
}, 240_000)

test('behavior: a paid call that finds no process at an address is sent to the next one', async () => {
  const [alive, dead] = await Promise.all([startApi(), startApi()])
  dead.die()
  // Each has its turn with the dead one first, since nginx begins with another one each time.
  for (const payment of [...PAYMENTS, ...PAYMENTS]) {
    const { ask } = await startNginxExample([dead.origin, alive.origin])
    const statuses = [await ask('/trust', payment('a')), await ask('/trust', payment('b'), 'POST')]
    expect(statuses.map(({ status }) => status)).toEqual([200, 200])
  }
  expect(dead.calls()).toBe(0)
}, 60_000)

test.each(['GET', 'POST'])(
  'error: a paid %s that a process took and did not answer goes to no other one',
  async (method) => {
    const [first, second] = await Promise.all([startApi(), startApi()])
    for (const api of [first, second]) api.onAnswer((response) => void response.destroy())
    for (const [place, payment] of PAYMENTS.entries()) {
      // Another one each time: this one has no live server left.
      const { ask } = await startNginxExample([first.origin, second.origin])
      expect((await ask('/trust', payment('a'), method)).status).toBe(502)
      expect(first.calls() + second.calls()).toBe(place + 1)
    }
  },
)

test('behavior: a free call that a process took and did not answer goes to the next one', async () => {
  const [first, second] = await Promise.all([startApi(), startApi()])
  first.onAnswer((response) => void response.destroy())
  const { ask } = await startNginxExample([first.origin, second.origin])
  for (let call = 0; call < 4; call++) expect((await ask('/verify')).status).toBe(200)
  // Another kind of authorization is no payment.
  expect((await ask('/verify', { authorization: 'Bearer a' })).status).toBe(200)
  expect(first.calls()).toBeGreaterThan(0)
})
