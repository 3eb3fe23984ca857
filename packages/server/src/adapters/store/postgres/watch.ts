import type { Changed, Store } from '../../../ports/store.ts'
import type { Database } from './database.ts'

const RECONNECT_MS = 1_000
/** Maximum size of a notification in bytes; PostgreSQL allows 8,000. */
const MAX_PAYLOAD = 7_900

/** Returns the notification of a written document; an empty one says that any document may have changed. */
export function payloadOf({ host, endpoint }: Changed): string {
  const payload = JSON.stringify([host, endpoint])
  return Buffer.byteLength(payload) <= MAX_PAYLOAD ? payload : ''
}

/** Creates the `watch` of a store: it listens on a connection of its own, and calls back with null after a lost one. */
export function createWatch(database: Database): Store['watch'] {
  return async (onChange) => {
    let stopped = false
    let release: (() => void) | undefined
    let timer: NodeJS.Timeout | undefined

    const listen = async (): Promise<void> => {
      const client = await database.connect()
      let isOver = false
      const end = (): void => {
        if (isOver) return
        isOver = true
        client.release(true)
        if (!stopped) again()
      }
      release = end
      client.on('notification', ({ payload }) => {
        if (!stopped) onChange(payload ? parse(payload) : null)
      })
      client.on('error', end)
      client.on('end', end)
      await client.query(`LISTEN "${database.schema}"`).catch((error: unknown) => {
        end()
        throw error
      })
    }
    const again = (): void => {
      clearTimeout(timer)
      timer = setTimeout(() => {
        listen().then(() => onChange(null), again)
      }, RECONNECT_MS)
      timer.unref()
    }

    await listen().catch((error: unknown) => {
      stopped = true
      clearTimeout(timer)
      throw error
    })
    return async () => {
      stopped = true
      clearTimeout(timer)
      release?.()
    }
  }
}

function parse(payload: string): Changed {
  const [host, endpoint]: [string, string] = JSON.parse(payload)
  return { host, endpoint }
}
