import { readIncidents } from '../../store/feeds.ts'
import { readHost } from '../../store/hosts.ts'
import { openClaimed } from './openClaimed.ts'

/** Opens a host that its owner has claimed by a file. */
export async function openOwned() {
  const opened = await openClaimed()
  const { secret, file } = await opened.read()
  opened.publish(file.line)
  const claimed = await opened.claim({ method: 'file', secret })
  if (claimed.status !== 200) throw new Error(await claimed.text())
  const { store } = opened
  const [endpoint = ''] = (await readHost(store, opened.host))?.endpoints.map((one) => one.endpoint) ?? []
  const { records } = await readIncidents(store, { host: opened.host, since: 0, limit: 10 })
  return { ...opened, secret, endpoint, incident: `${records[0]?.id}` }
}

/** Returns the status of a refusal, the field at fault, and why. */
export async function faultOf(answer: Response): Promise<readonly [number, string, string]> {
  const { status, code, errors = [] } = await answer.json()
  const [{ parameter, code: reason } = { parameter: code, code: '' }] = errors
  return [status, parameter, reason]
}
