import { SCANS_PATH } from '../paths.ts'

/** Asks for a scan of a URL. A plain form, so it works without scripts. */
export function ScanForm() {
  return (
    <>
      <form class="search large" action={SCANS_PATH} method="post">
        <label class="hidden" for="scan-url">
          URL of an x402 endpoint
        </label>
        <input
          id="scan-url"
          name="url"
          required
          inputMode="url"
          maxLength={2048}
          placeholder="https://api.example.com/v1/weather"
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
        />
        <button type="submit">Scan</button>
      </form>
      <p class="small muted">
        Free, takes about ten seconds, pays nothing, gives you a link. Or on your own machine:{' '}
        <code>npx @touchstone402/guard scan &lt;url&gt;</code>
      </p>
    </>
  )
}
