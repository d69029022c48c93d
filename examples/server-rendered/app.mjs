import express from 'express'
import { beginImpersonation, finishImpersonation, provider } from './impersonation.mjs'
import { list, say } from './pages.mjs'
import { ACTING, clear, kept } from './sessions.mjs'

const { API, PORT = '8080' } = process.env
const app = express()
const form = express.urlencoded({ extended: false, limit: '4kb' })

app.post('/impersonation', form, beginImpersonation)
app.get('/impersonation/callback', finishImpersonation)

app.post('/impersonation/end', form, async (request, response) => {
  const acting = kept(request, ACTING)
  if (!acting) {
    return say(
      response,
      403,
      'Nothing was ended: no operator acts in this browser, or the form came from another site.',
    )
  }
  if (request.body?.csrf !== acting.csrf) return say(response, 403, 'Press End again.', acting)
  try {
    const { impersonation_end_endpoint: end } = provider.serverMetadata()
    const headers = { authorization: `Bearer ${acting.accessToken}` }
    const { status } = await fetch(end, {
      method: 'POST',
      headers,
      signal: AbortSignal.timeout(5000),
    })
    // 401: it had ended already.
    if (status !== 204 && status !== 401) throw new Error(`the provider answered ${status}`)
  } catch (error) {
    console.error('impersonation not ended', error.message)
    return say(
      response,
      502,
      'Not ended: the request to the provider failed. Press End again.',
      acting,
    )
  }
  clear(request, response, ACTING)
  say(response, 200, `Acting has ended. ${acting.actor} acted as ${acting.userId}.`)
})

app.get('/orders', async (request, response) => {
  const acting = kept(request, ACTING)
  // Users of the application have a session of its own here.
  if (!acting) return say(response, 401, 'Sign in.')
  if (!acting.isOver) {
    try {
      const headers = { authorization: `Bearer ${acting.accessToken}` }
      const answer = await fetch(`${API}/orders`, { headers, signal: AbortSignal.timeout(5000) })
      if (answer.ok) return list(response, acting, await answer.json())
      // 401: it has ended elsewhere.
      if (answer.status !== 401) throw new Error(`the API answered ${answer.status}`)
    } catch (error) {
      console.error('orders not read', error.message)
      return say(response, 502, 'The orders cannot be read. Try again in a minute.', acting)
    }
  }
  clear(request, response, ACTING)
  say(
    response,
    401,
    `Acting is over. ${acting.actor} acted as ${acting.userId}. Start again from the support console.`,
  )
})

export const server = app.listen(Number(PORT))
