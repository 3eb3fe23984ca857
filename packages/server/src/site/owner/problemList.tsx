import { isFlag } from '@touchstone402/shared'
import { Panel } from '../components/panel.tsx'
import { Measured } from '../components/prose.tsx'
import type { FixSection } from './problems.ts'
import type { OwnerView } from './readView.ts'

const MAX_MESSAGE = 400

const TITLES: Readonly<Record<FixSection, string>> = {
  announcements: 'Step 2: announce or confirm the receiver',
  disputes: 'Step 2: dispute it',
  answer: 'Step 2: fund a test purchase',
  check: 'Step 3: check now',
}

/** What lowers the verdict of the host, with the step that fixes it. */
export function Problems({ view: { problems } }: { readonly view: OwnerView }) {
  return (
    <Panel id="problems" title="What is wrong now">
      <ul class="evidence">
        {problems.map(({ code, message, fix, section }) => (
          <li>
            <Measured text={message} max={MAX_MESSAGE} />{' '}
            {isFlag(code) ? <a href={`/methodology#flag-${code}`}>{code}</a> : <code>{code}</code>}
            <br />
            <b>Fix:</b> {fix} <a href={`#${section}`}>{TITLES[section]}</a>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
