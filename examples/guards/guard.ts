import { resourceServer } from 'oidc-provider-impersonation-resource-server'

const { ISSUER = 'https://id.example.com/oidc' } = process.env
const { AUDIENCE = 'https://api.example.com', BASE_URL = 'https://api.example.com' } = process.env

export const api = resourceServer({
  issuer: ISSUER,
  audience: AUDIENCE,
  dPoP: { baseUrl: BASE_URL },
})
