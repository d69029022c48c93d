import { acceptOnLoad } from 'oidc-provider-impersonation-browser/react'

acceptOnLoad({
  issuer: 'https://id.example.com/oidc',
  clientId: 'shop',
  redirectUri: 'https://shop.example.com/',
  resource: 'https://api.example.com/orders',
  scope: 'orders:read',
})
