// Types alone: for pages in JSX, `import 'oidc-provider-impersonation-browser/react'` once.
import type { DetailedHTMLProps, HTMLAttributes } from 'react'
import type { BannerSettings, ImpersonationBannerElement } from './banner/banner-element.ts'

/** What `<impersonation-banner>` takes in JSX. React 19 sets these as properties of the element. */
export type ImpersonationBannerProps = DetailedHTMLProps<
  HTMLAttributes<ImpersonationBannerElement>,
  ImpersonationBannerElement
> &
  Partial<BannerSettings> & {
    /** `detail` is what `session.end()` threw. */
    'onend-failed'?: ((event: CustomEvent<unknown>) => void) | undefined
  }

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'impersonation-banner': ImpersonationBannerProps
    }
  }
}
