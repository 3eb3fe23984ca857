import type { Report } from '@touchstone402/shared'
import { HOST_DIRECTORY } from '../../ports/directory.ts'
import { Panel } from '../components/panel.tsx'
import { cleanText } from '../text.ts'

/** What the figures of a report count, and what they leave out. */
export function Sampled({ report: { directories } }: { readonly report: Report }) {
  const names = directories
    .map(({ directory }) => directory)
    .filter((name) => name !== HOST_DIRECTORY)
    .map((name) => cleanText(name, 40))
  const listed = names.length === 0 ? 'a directory' : `a directory (${names.join(', ')})`
  return (
    <Panel id="sampled" title="What is sampled, and what is not">
      <p>
        The figures count endpoints that {listed} or a document of their own host lists, and submitted ones
        that their host vouches for. x402 endpoints that nobody lists are not in them, nor is how often an
        endpoint is paid: each endpoint counts once, and of a very large host or domain only some are kept.
        Each is probed about every three hours, from the addresses of one service; a seller may show others
        something else. Hosts that decline probes count as unknown. Receivers are read on Base alone. Delivery
        is known from test purchases alone, which are few and which not every instance makes. Endpoints that
        were dark for 90 days and that nobody lists any more are dropped.{' '}
        <a href="/methodology">How verdicts are reached</a>
      </p>
    </Panel>
  )
}
