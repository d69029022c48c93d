export interface Backend {
  /** `https://id.example.com` */
  readonly base: string
  readonly clientId: string
  readonly clientSecret: string
}

export async function issueSubjectToken(
  { base, clientId, clientSecret }: Backend,
  request: { userId: string; mayAct: { sub: string }; context: object },
): Promise<string> {
  const credentials = await fetch(`${base}/oidc/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      resource: `${base}/api`,
      scope: 'impersonate',
    }),
  })
  if (!credentials.ok) throw new Error(`no credentials: ${await credentials.text()}`)
  const { access_token } = (await credentials.json()) as { access_token: string }

  const answer = await fetch(`${base}/api/subject-tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
    body: JSON.stringify(request),
  })
  if (answer.status !== 201) throw new Error(`refused: ${await answer.text()}`)
  const { subjectToken } = (await answer.json()) as { subjectToken: string }
  return subjectToken
}
