import { isFlag } from '@touchstone402/shared'
import { Panel } from '../components/panel.tsx'
import { Measured } from '../components/prose.tsx'
import { Again } from './part.tsx'
import { type FixSection, fieldOf, fixPath, type Problem } from './problems.ts'
import type { OwnerView } from './readView.ts'

const MAX_MESSAGE = 400

const TITLES: Readonly<Record<FixSection, string>> = {
  announcements: 'Step 2: announce or confirm the receiver',
  disputes: 'Step 2: dispute it',
  funding: 'Step 2: fund a test purchase',
  check: 'Step 3: check now',
}

type Props = { readonly view: OwnerView }

/** Lists the findings that lower the verdict, each with the step that fixes it. */
export function Problems({ view }: Props) {
  return (
    <Panel id="problems" title="What is wrong now">
      <ul class="evidence">
        {view.problems.map((problem) => {
          const { code, message, fix } = problem
          return (
            <li>
              <Measured text={message} max={MAX_MESSAGE} />{' '}
              {isFlag(code) ? <a href={`/methodology#flag-${code}`}>{code}</a> : <code>{code}</code>}
              <br />
              <b>Fix:</b> {fix} <Step view={view} problem={problem} />
            </li>
          )
        })}
      </ul>
    </Panel>
  )
}

/** Opens the step for the endpoint of a problem, and keeps a secret that was entered. */
function Step({ view, problem }: Props & { readonly problem: Problem }) {
  const { code, endpoint, section } = problem
  const [title, name] = [TITLES[section], fieldOf(section)]
  const { host, isHeld, funding } = view
  if (!isHeld) return <a href={fixPath(host, endpoint, code, funding.length > 0)}>{title}</a>
  return (
    <Again view={view} section={section} own={[name]}>
      <button type="submit" name={name} value={endpoint}>
        {title}
      </button>
    </Again>
  )
}
