import type { Report } from '@touchstone402/shared'
import { HOST_DIRECTORY } from '../../facts/facts.ts'
import { HOUR } from '../../facts/times.ts'
import { INTERVALS } from '../../judge/schedule.ts'
import { Panel } from '../components/panel.tsx'
import { cleanText } from '../text.ts'

/** Explains which endpoints the figures of a report count, and which they leave out. */
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
        that their host vouches for. Each counts once, however often it is paid, and is probed about every{' '}
        {INTERVALS.steady / HOUR} hours. Of a very large host or domain only some are kept. Endpoints that
        stayed dark for months and that nobody lists any more are dropped.
      </p>
      <p>
        Endpoints that nobody lists are not in them. Hosts that decline probes count as unknown. Receivers are
        read on Base alone. Delivery is known from test purchases alone, which are few, and which not every
        instance makes. All probes come from one service; a seller may show others something else.{' '}
        <a href="/methodology">How verdicts are reached</a>
      </p>
    </Panel>
  )
}
