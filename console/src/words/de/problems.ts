import type { problems as english } from '../en/problems.ts'
import type { Translated } from '../words.ts'

export const problems: Translated<typeof english> = {
  unreachable: 'Der Server antwortet nicht. Prüfen Sie die Verbindung und versuchen Sie es erneut.',
  trouble:
    'Der Server hat eine Störung. Es wurde nichts geändert. Versuchen Sie es gleich noch einmal.',
  unexpected: 'Diese Seite versteht die Antwort des Servers nicht. Laden Sie die Seite neu.',
  signedOut:
    'Ihre Anmeldung ist abgelaufen. Melden Sie sich erneut an; was Sie geschrieben haben, bleibt erhalten.',
  notFound: 'Das gibt es nicht, oder es ist nicht für Sie bestimmt.',
  tooMany: 'Das waren zu viele Anfragen auf einmal. Warten Sie einen Moment.',
  codes: {
    access_denied: 'Ihre Rolle erlaubt das nicht.',
    user_not_found: 'Es gibt keinen Kunden mit dieser Kennung.',
    not_found: 'Das gibt es nicht, oder es ist nicht für Sie bestimmt.',
    temporarily_unavailable:
      'Das Audit kann gerade nicht gespeichert werden, deshalb geschieht nichts. Versuchen Sie es gleich noch einmal.',
  },
}
