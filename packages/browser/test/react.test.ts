import { expect } from 'chai'
import {
  acceptOnLoad,
  ImpersonationBanner,
  useImpersonation,
} from 'oidc-provider-impersonation-browser/react'
import { createElement, StrictMode, version } from 'react'
import { renderToString } from 'react-dom/server'

function Page() {
  const { state, session } = useImpersonation()
  return createElement('p', null, state, session && 'a session')
}

const page = createElement(
  StrictMode,
  null,
  createElement(Page),
  createElement(ImpersonationBanner),
)

describe(`useImpersonation on a server with React ${version}`, () => {
  it('is starting, without a session and without a banner', () => {
    expect(renderToString(page)).to.equal('<p>starting</p>')
  })

  it('is that also after acceptOnLoad, which does nothing there', () => {
    acceptOnLoad({
      issuer: 'https://id.example.com',
      clientId: 'shop',
      redirectUri: 'https://shop.example.com/',
      resource: 'https://api.example.com/orders',
      scope: 'orders:read',
    })
    expect(renderToString(page)).to.equal('<p>starting</p>')
  })
})

describe(`useImpersonation in a browser with React ${version}`, () => {
  it('says what to call first, where nothing accepts an impersonation', () => {
    Object.assign(globalThis, { location: new URL('https://shop.example.com/') })
    try {
      expect(() => renderToString(page)).to.throw(TypeError, 'acceptOnLoad()')
    } finally {
      Reflect.deleteProperty(globalThis, 'location')
    }
  })
})
