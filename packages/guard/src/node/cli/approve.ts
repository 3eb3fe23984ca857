import { describeQuestion } from '../../decide/describeQuestion.ts'
import { escapeText } from '../../decide/escapeText.ts'
import type { PendingApproval } from '../proxy/approvals.ts'
import { listMcpFolders, listProxyFolders, readPlace } from '../proxy/secrets.ts'
import { askOperator, type Place, readPagePassword } from './askOperator.ts'
import { type Io, print, UsageError } from './io.ts'
import { chooseOnly } from './options.ts'

type ApproveGiven = {
  readonly id: string | undefined
  readonly refuse: boolean
  readonly show: boolean
  readonly folder: string | undefined
  readonly json: boolean
}

type PageGiven = {
  readonly folder: string | undefined
  readonly json: boolean
}

/** `approve`: lists what waits for the operator, shows one of them, or answers it. */
export async function approve(values: ApproveGiven, io: Io): Promise<number> {
  const { id } = values
  if (id !== undefined && !/^[0-9a-f]{12}$/.test(id))
    throw new UsageError('Expected the id of one approval, such as 3f9a0c51b2de.')
  if (id === undefined && (values.show || values.refuse))
    throw new UsageError(`--${values.show ? 'show' : 'refuse'}: needs the id of an approval`)
  if (values.show && values.refuse) throw new UsageError('--show and --refuse: give one of them')
  const folders = [...(await listProxyFolders(io.env)), ...(await listMcpFolders(io.env))]
  const place = await findPlace(values.folder, folders)
  if (id === undefined) {
    const { pending } = (await askOperator(place, 'GET', '/operator/approvals')).data as {
      pending: PendingApproval[]
    }
    const lines = pending.flatMap((one) => [
      '',
      ...describe(one),
      `  All of it: touchstone approve ${one.id} --show`,
    ])
    return print(io, values, { pending }, lines.length > 0 ? lines.slice(1) : ['Nothing waits.'])
  }
  const verb = values.refuse ? 'refuse' : 'approve'
  const path = `/operator/approvals/${id}`
  const { status, data } = values.show
    ? await askOperator(place, 'GET', path)
    : await askOperator(place, 'POST', `${path}/${verb}`)
  if (status !== 200) throw new UsageError(`Nothing waits as ${id}; it may have expired.`)
  const { approval, body } = data as { approval: PendingApproval; body: string | null }
  if (values.show)
    return print(io, values, { approval, body }, [...describe(approval), ...describeWhole(body)])
  const next = values.refuse ? '' : ' An equal call is paid once, until ten minutes after the question.'
  return print(io, values, { id, state: approval.state }, [`${id} is ${approval.state}.${next}`])
}

/** `proxy page`: prints the address of the page, and its password of this start. */
export async function proxyPage(values: PageGiven, io: Io): Promise<number> {
  const place = await findPlace(values.folder, await listProxyFolders(io.env))
  const url = place.address.startsWith('http') ? `${place.address}/` : `${place.address}, http://localhost/`
  const password = await readPagePassword(place)
  const lines = [`Page: ${url} (any user name)`, `Password: ${password}`]
  return print(io, values, { url, password }, lines)
}

async function findPlace(given: string | undefined, found: readonly string[]): Promise<Place> {
  const folder = given ?? chooseOnly(found, 'Give the folder of the proxy with --folder')
  const place = await readPlace(folder)
  if (place === null) throw new UsageError(`There is no proxy in ${folder}, or it is another user's.`)
  return place
}

function describe({ id, task, question, expiresAt }: PendingApproval): string[] {
  const facts = [...describeQuestion(question), ['Asked until', new Date(expiresAt).toISOString()]]
  return [`${id}  task ${escapeText(task)}`, ...facts.map(([label, text]) => `  ${label}: ${text}`)]
}

/** Returns the lines of a body behind a mark, so that none of them looks like a line of this program. */
function describeWhole(body: string | null): string[] {
  if (body === null) return []
  const text = Buffer.from(body, 'base64').toString()
  return ['  The whole body:', ...text.split('\n').map((line) => `  | ${escapeText(line)}`)]
}
