import { HostField } from '../components/field.tsx'
import { Layout } from '../components/layout.tsx'
import { Panel } from '../components/panel.tsx'
import { Seller } from '../components/prose.tsx'
import { RECHECKS_PATH } from '../paths.ts'

/** Asks for a re-check of a host. */
export function AskPage({ publicUrl, path, host }: { publicUrl: string; path: string; host?: string }) {
  return (
    <Layout
      title="Free re-check"
      description="Probes the endpoints of a service again, free of charge."
      path={path}
      publicUrl={publicUrl}
    >
      <h1>
        Free re-check
        {host !== undefined && (
          <>
            {' '}
            of <Seller text={host} max={120} />
          </>
        )}
      </h1>
      <p class="lede">
        Every endpoint of the host is probed again within minutes, once per hour and host. The verdict follows
        what is measured.
      </p>
      <Panel id="ask" title="Ask for it">
        <RecheckForm host={host} />
      </Panel>
    </Layout>
  )
}

/** The form that asks for a re-check: a button alone if the host is known. */
export function RecheckForm({ host }: { host?: string | undefined }) {
  return (
    <form class="form" action={RECHECKS_PATH} method="post">
      {host === undefined ? <HostField /> : <input type="hidden" name="host" value={host} />}
      <button type="submit">Re-check now</button>
    </form>
  )
}
