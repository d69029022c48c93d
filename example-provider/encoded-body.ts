import type { Middleware } from 'koa'
import { escapeControls } from './text.ts'

/**
 * Refuses compressed bodies. All bodies are small, so compression is useless. A broken body would
 * be a server error, and a decompression bomb would stop the server. RFC 9110 §15.5.16: "If the
 * problem was caused by an unsupported content coding, the Accept-Encoding response header field
 * ought to be used to indicate which (if any) content codings would have been accepted in the
 * request."
 */
export const refuseEncodedBodies: Middleware = async (ctx, next) => {
  const coding = ctx.get('Content-Encoding').trim().toLowerCase()
  if (coding === '' || coding === 'identity') return next()
  console.error(escapeControls(`${ctx.method} ${ctx.path}: 415, Content-Encoding ${coding}`))
  ctx.set({ 'Accept-Encoding': 'identity', 'Cache-Control': 'no-store' })
  ctx.status = 415
  ctx.body = { error: 'invalid_request', error_description: 'Content-Encoding is not supported' }
}
