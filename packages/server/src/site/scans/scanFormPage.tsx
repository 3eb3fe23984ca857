import { Layout } from '../components/layout.tsx'
import { Panel } from '../components/panel.tsx'
import { SCANS_PATH } from '../paths.ts'
import { cleanText } from '../text.ts'
import { ScanForm } from './scanForm.tsx'

type ScanFormPageProps = { readonly publicUrl: string; readonly url: string; readonly fault: string }

/** The form of a scan again, with what is wrong with the URL. */
export function ScanFormPage({ publicUrl, url, fault }: ScanFormPageProps) {
  return (
    <Layout
      title="Scan an endpoint"
      description="A live check of one x402 endpoint: its terms, its receiver, and what to fix."
      path={SCANS_PATH}
      publicUrl={publicUrl}
      isUnlisted
    >
      <h1>Scan an endpoint</h1>
      <Panel id="scan" title="Which endpoint?">
        <ScanForm url={cleanText(url, 2048)} fault={fault} />
      </Panel>
    </Layout>
  )
}
