import type { Client } from 'pg'
import { createWatchers, type Watcher } from './engine.ts'
import type { Changed } from './tx.ts'

const FIRST_DELAY_MS = 250
const MAX_DELAY_MS = 10_000

/**
 * Listens to the notifications of all processes on a separate connection, and reconnects when it is lost.
 * @param checkMs interval of the question whether it still answers. A network may drop it in silence, and what is cached
 * would be served as current for as long as nothing is heard
 */
export function createListener(connect: () => Promise<Client>, channel: string, checkMs: number) {
  const watchers = createWatchers()
  let client: Client | undefined
  let timer: NodeJS.Timeout | undefined
  let delayMs = FIRST_DELAY_MS
  let isClosed = false

  const listen = async () => {
    const opened = await connect()
    let isOver = false
    let check: NodeJS.Timeout | undefined
    const end = () => {
      if (isOver) return
      isOver = true
      clearInterval(check)
      opened.end().catch(() => undefined)
      if (!isClosed) again()
    }
    opened.on('notification', ({ payload }) => watchers.tell(payload ? parse(payload) : null))
    opened.on('error', end)
    opened.on('end', end)
    client = opened
    if (isClosed) return end()
    await opened.query(`listen ${channel}`).catch((error: unknown) => {
      end()
      throw error
    })
    check = setInterval(() => void opened.query('select 1').catch(end), checkMs).unref()
    delayMs = FIRST_DELAY_MS
  }
  const again = () => {
    clearTimeout(timer)
    // Notifications were missed meanwhile, so null makes the watchers reread everything.
    timer = setTimeout(() => void listen().then(() => watchers.tell(null), again), delayMs)
    timer.unref()
    delayMs = Math.min(MAX_DELAY_MS, delayMs * 2)
  }
  let listening: Promise<void> | undefined

  return {
    /** @throws StoreUnavailableError if the first connection cannot be made */
    async watch(onChange: Watcher): Promise<() => Promise<void>> {
      const remove = watchers.add(onChange)
      listening ??= listen()
      await listening.catch((error: unknown) => {
        listening = undefined
        void remove()
        throw error
      })
      return remove
    },
    async close() {
      isClosed = true
      clearTimeout(timer)
      await client?.end().catch(() => undefined)
    },
  }
}

function parse(payload: string): Changed {
  const [host, endpoint, hasNews]: [string, string, boolean] = JSON.parse(payload)
  return { host, endpoint, hasNews }
}
