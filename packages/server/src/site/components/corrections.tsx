import { withoutName } from '../../http/readFields.ts'
import type { Refusal } from '../../lib/problemError.ts'
import { cleanText } from '../text.ts'
import { Panel } from './panel.tsx'

/** Errors by field. Messages for programs begin with the field name, which the page shows separately. */
export function Corrections({ errors = [] }: { errors: Refusal['errors'] }) {
  if (errors.length === 0) return null
  return (
    <Panel id="fields" title="What to correct">
      <ul>
        {errors.map(({ parameter, message }) => (
          <li>
            <code>{cleanText(parameter, 80)}</code>: {cleanText(withoutName(parameter, message), 300)}
          </li>
        ))}
      </ul>
    </Panel>
  )
}
