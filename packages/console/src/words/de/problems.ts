import type { problems as english } from '../en/problems.ts'
import type { Translated } from '../words.ts'

export const problems: Translated<typeof english> = {
  unreachable: 'Der Server antwortet nicht. Prüfen Sie die Verbindung und versuchen Sie es erneut.',
  trouble: 'Beim Server gibt es eine Störung. Versuchen Sie es gleich noch einmal.',
  notShown:
    'Das lässt sich gerade nicht anzeigen: Etwas, das die Konsole braucht, antwortet nicht. Versuchen Sie es gleich noch einmal.',
  unexpected: 'Diese Seite versteht die Antwort des Servers nicht. Laden Sie die Seite neu.',
  signedOut:
    'Ihre Anmeldung ist abgelaufen. Melden Sie sich erneut an. Was Sie eingegeben haben, bleibt erhalten.',
  codes: {
    access_denied: 'Ihre Rolle erlaubt das nicht.',
    user_not_found: 'Es gibt keinen Kunden mit dieser Kennung.',
    not_found: 'Das gibt es nicht, oder es ist nicht für Sie bestimmt.',
    invalid_request: 'Der Server nimmt die Eingabe nicht an.',
    conflict: 'Das hat sich inzwischen geändert. Sehen Sie noch einmal nach.',
    already_objected: 'Das haben Sie schon gesagt. Das Support-Team geht der Sache nach.',
    too_many_requests:
      'Das waren zu viele Anfragen auf einmal. Warten Sie einen Moment und versuchen Sie es dann noch einmal.',
    bad_gateway:
      'Der Anmeldedienst antwortet nicht wie erwartet, deshalb ist nichts geschehen. Versuchen Sie es gleich noch einmal.',
    temporarily_unavailable:
      'Etwas, das die Konsole braucht, antwortet nicht, deshalb ist nichts geschehen. Versuchen Sie es gleich noch einmal.',
  },
}
