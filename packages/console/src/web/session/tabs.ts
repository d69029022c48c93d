import { HOME_PATH } from '../kit/router.tsx'
import { CLIENT_ID } from './provider.ts'

/** What the tabs of this browser tell each other. No token is among it. */
export type News =
  | { readonly kind: 'changed'; readonly ids: readonly string[] }
  | { readonly kind: 'signed in'; readonly sub: string }
  | { readonly kind: 'signed out' }

const channel = new BroadcastChannel(`${HOME_PATH} ${CLIENT_ID}`)

export function notifyTabs(news: News): void {
  channel.postMessage(news)
}

/** Listens to the other tabs. @returns a function that stops it */
export function listenToTabs(listener: (news: News) => void): () => void {
  const receive = ({ data }: MessageEvent<News>) => listener(data)
  channel.addEventListener('message', receive)
  return () => channel.removeEventListener('message', receive)
}
