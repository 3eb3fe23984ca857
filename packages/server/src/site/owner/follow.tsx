import { ROBOTS_NAME } from '../../facts/optOut.ts'
import { CheckButton } from '../components/checkForm.tsx'
import { OutLink, Snippet } from '../components/prose.tsx'
import { WhatNext } from '../components/whatNext.tsx'
import { hostFeedPath, ownerPath, profilePath } from '../paths.ts'
import { OwnedForm, Part } from './part.tsx'
import type { OwnerView } from './readView.ts'

type Props = { readonly view: OwnerView }

/** Asks for a check of all endpoints of the host. */
export function CheckNow({ view: { host } }: Props) {
  return (
    <Part id="check" title="Check now">
      <p>
        Probes the endpoints of the host that are known here. A fix counts from then on. To publish an
        unlisted one, <a href="/">check its URL</a>: the result takes the secret of your claim.
      </p>
      <CheckButton fields={{ host }} label="Check now" />
      <WhatNext />
      <p class="small muted">
        To opt out of probes, disallow <code>{ROBOTS_NAME}</code> in <code>robots.txt</code>, or serve{' '}
        <code>"probes": false</code> in <code>/.well-known/x402</code>. The verdict then becomes unknown.
      </p>
    </Part>
  )
}

/** Offers alerts by RSS and webhook. */
export function Webhooks({ view }: Props) {
  const { host, isListed } = view
  return (
    <Part id="webhooks" title="Alerts">
      <p>
        Follow the host by {isListed ? <a href={hostFeedPath(host)}>RSS</a> : 'RSS'}, or have its incidents
        and changes sent to your URL as{' '}
        <OutLink href="https://www.standardwebhooks.com/">signed messages</OutLink>. A webhook of the same URL
        is replaced and gets a new secret.
      </p>
      <OwnedForm view={view} part="webhooks" names={['url']} buttons={{ add: 'Create the webhook' }}>
        <button type="submit" formAction={`${ownerPath(host)}/webhooks/remove#webhooks`}>
          Remove it
        </button>
      </OwnedForm>
    </Part>
  )
}

/** Offers the badge for the host's own pages. */
export function Badge({ view: { host }, publicUrl }: Props & { readonly publicUrl: string }) {
  const [path, alt] = [`/badge/${encodeURIComponent(host)}.svg`, `Verdict on ${host}`]
  const [picture, profile] = [publicUrl + path, publicUrl + profilePath(host)]
  return (
    <Part id="badge" title="Badge">
      <p>
        <img src={path} alt={alt} height={20} /> It follows the verdict.
      </p>
      <Snippet label="Badge as Markdown" code={`[![${alt}](${picture})](${profile})`} />
      <Snippet
        label="Badge as HTML"
        code={`<a href="${profile}"><img src="${picture}" alt="${alt}" height="20"></a>`}
      />
    </Part>
  )
}
