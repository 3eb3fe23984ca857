/** Receives what becomes of a paid response. */
export type DeliveryListener = {
  /** Whether it delivers; a mild fault may be an honest answer. */
  delivered(delivered: boolean, isMild: boolean): Promise<void>
  /** Whether the body was read to its end, or given up by the caller; otherwise it broke off. */
  ended(isComplete: boolean): Promise<void>
}

/**
 * Watches a paid response: it delivers with a 2xx and at least one byte of body.
 * Returns an equal response without waiting for the body.
 */
export async function watchDelivery(
  response: Response,
  method: string,
  listener: DeliveryListener,
): Promise<Response> {
  const { status, body, ok, headers } = response
  const length = headers.get('content-length')
  if (!ok || method === 'HEAD' || body === null || length === '0') {
    await listener.ended(true)
    await listener.delivered(ok && method === 'HEAD', isMildStatus(status))
    return response
  }
  const reader = body.getReader()
  let received = 0
  const watched = new Response(
    new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const { done, value } = await reader.read().catch(async (error: unknown) => {
            await listener.ended(false)
            throw error
          })
          if (received === 0 && (done || value.byteLength > 0)) await listener.delivered(!done, false)
          if (value !== undefined) received += value.byteLength
          // A caller may stop reading at the declared length.
          if (done || String(received) === length) await listener.ended(true)
          if (done) controller.close()
          else controller.enqueue(value)
        },
        async cancel(reason) {
          await listener.ended(true)
          await reader.cancel(reason)
        },
      },
      // Reads ahead, so that the end of a short body is seen even if the caller does not read it.
      { highWaterMark: 2 },
    ),
    response,
  )
  Object.defineProperty(watched, 'url', { value: response.url })
  return watched
}

// An endpoint may answer honestly without content, or refuse the request itself.
function isMildStatus(status: number): boolean {
  return status === 201 || status === 204 || status === 304 || (status >= 400 && status < 500)
}
