const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token'

export async function exchange(
  base: string,
  request: { clientId: string; subjectToken: string; operatorToken: string; resource: string },
): Promise<string> {
  const answer = await fetch(`${base}/oidc/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      client_id: request.clientId,
      subject_token: request.subjectToken,
      subject_token_type: ACCESS_TOKEN,
      actor_token: request.operatorToken,
      actor_token_type: ACCESS_TOKEN,
      resource: request.resource,
      scope: 'orders:read',
    }),
  })
  if (!answer.ok) throw new Error(`refused: ${await answer.text()}`)
  const { access_token } = (await answer.json()) as { access_token: string }
  return access_token
}
