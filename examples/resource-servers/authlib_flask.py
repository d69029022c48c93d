import os
import re
import threading
import time
import zlib
from base64 import urlsafe_b64decode
from functools import lru_cache

import requests
from authlib.integrations.flask_oauth2 import ResourceProtector, current_token
from authlib.jose import JsonWebKey, JsonWebToken
from authlib.jose.errors import JoseError
from authlib.oauth2.rfc6750 import BearerTokenValidator
from authlib.oauth2.rfc7523 import JWTBearerToken
from flask import Flask, jsonify

ISSUER = os.environ.get('ISSUER', 'https://id.example.com/oidc')
AUDIENCE = os.environ.get('AUDIENCE', 'https://api.example.com')

jwt = JsonWebToken(['ES256'])
claims_options = {
    'iss': {'essential': True, 'value': ISSUER},
    'aud': {'essential': True, 'value': AUDIENCE},
    'exp': {'essential': True},
    'sub': {'essential': True},
    'jti': {'essential': True},
}


@lru_cache(maxsize=1)
def keys(_five_minutes):
    response = requests.get(f'{ISSUER}/jwks', timeout=5)
    response.raise_for_status()
    return JsonWebKey.import_key_set(response.json())


class StatusUnavailable(Exception):
    pass


lists = {}
lock = threading.Lock()


def fetch_list(uri):
    headers = {'Accept': 'application/statuslist+jwt'}
    response = requests.get(uri, headers=headers, timeout=2, allow_redirects=False)
    options = {'sub': {'essential': True, 'value': uri}, 'exp': {'essential': True}}
    token = jwt.decode(response.text, keys(int(time.time() / 300)), claims_options=options)
    token.validate()
    if token.header.get('typ') != 'statuslist+jwt' or token['iat'] < time.time() - 30:
        raise ValueError('not a fresh status list')
    if token['status_list']['bits'] != 1:
        raise ValueError('not a list of single bits')
    compressed = urlsafe_b64decode(token['status_list']['lst'] + '==')
    return zlib.decompressobj().decompress(compressed, 2**20)


def has_ended(claims):
    if not claims['jti'].startswith('impersonation:') or 'status' not in claims:
        return False
    uri, index = (claims['status']['status_list'][name] for name in ('uri', 'idx'))
    if not re.fullmatch(re.escape(ISSUER) + r'/status-lists/[\w-]+', uri, re.ASCII) or index < 0:
        return True
    with lock:
        fetched_at, bits = lists.get(uri, (float('-inf'), b''))
        start = time.monotonic()
        if start - fetched_at > 5:
            try:
                fetched_at, bits = lists[uri] = (start, fetch_list(uri))
            except (requests.RequestException, JoseError, ValueError, KeyError, zlib.error) as error:
                app.logger.warning('%s: %s', uri, error)
    if time.monotonic() - fetched_at > 30:
        raise StatusUnavailable(uri)
    return index >= len(bits) * 8 or bits[index >> 3] >> (index & 7) & 1 == 1


class AccessTokenValidator(BearerTokenValidator):
    def authenticate_token(self, token_string):
        key_set = keys(int(time.time() / 300))
        try:
            claims = jwt.decode(
                token_string, key_set, claims_cls=JWTBearerToken, claims_options=claims_options
            )
            claims.validate()
        except (JoseError, ValueError):
            return None
        if claims.header.get('typ') != 'at+jwt' or 'cnf' in claims or has_ended(claims):
            return None
        return claims


require_oauth = ResourceProtector()
require_oauth.register_token_validator(AccessTokenValidator())
app = Flask(__name__)


@app.errorhandler(StatusUnavailable)
def unavailable(_error):
    return '', 503, {'Retry-After': '1'}


@app.get('/orders')
@require_oauth()
def orders():
    actor = current_token.get('act', {}).get('sub')
    return jsonify(ordersOf=current_token['sub'], **({'seenBy': actor} if actor else {}))


@app.put('/email')
@require_oauth()
def email():
    if 'act' in current_token or current_token['jti'].startswith('impersonation:'):
        return jsonify(error='access_denied'), 403
    return '', 204


app.run(port=int(os.environ.get('PORT', '8080')))
