import { OwnedForm, Part } from './part.tsx'
import type { OwnerView } from './readView.ts'

/** Takes a dispute. */
export function Disputes({ view }: { readonly view: OwnerView }) {
  const { carried } = view
  return (
    <Part id="disputes" title="Dispute">
      <p>
        Say what is wrong, and how one can see it. The operator publishes it with an answer on the profile or
        the incident. It changes no verdict: measurements do.
      </p>
      <OwnedForm
        view={view}
        part="disputes"
        names={['about', 'text']}
        values={{ about: carried.about ?? carried.endpoint ?? '' }}
        buttons={{ send: 'Send the dispute' }}
      />
    </Part>
  )
}
