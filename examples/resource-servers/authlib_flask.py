import json
import os
import re
import threading
import time
import zlib
from base64 import urlsafe_b64decode
from functools import partial
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from socket import SHUT_RDWR
from urllib.parse import urlsplit

import jwt
from authlib.integrations.flask_oauth2 import ResourceProtector, current_token
from authlib.oauth2.rfc6750 import BearerTokenValidator
from flask import Flask, jsonify

ISSUER = os.environ.get('ISSUER', 'https://id.example.com/oidc')
AUDIENCE = os.environ.get('AUDIENCE', 'https://api.example.com')

KEYS_SECONDS = 60  # then the keys are fetched again, in the background
NEW_KEYS_SECONDS = 10  # a key that younger keys do not have is no key of the provider
LIST_SECONDS = 5  # then a request waits for the next list
LIST_SECONDS_AT_MOST = 30  # what a list is believed for in an outage
FETCH_SECONDS = 2
RETRY_SECONDS = 1
MAX_BYTES = 2**20

app = Flask(__name__)


class Unavailable(Exception):
    """The keys or the status list cannot be had."""


class Source:
    """What the provider publishes at one address. No lock is held over a fetch."""

    def __init__(self, load):
        self.load = load
        self.lock = threading.Lock()
        # When the fetch of the value began, and the value.
        self.held = (float('-inf'), None)
        self.failed_at = float('-inf')
        self.flight = None

    def refresh(self):
        """Begins a fetch, unless one is under way or has just failed, and answers what to wait for."""
        with self.lock:
            if self.flight is None and time.monotonic() - self.failed_at > RETRY_SECONDS:
                done = threading.Event()
                threading.Thread(target=self.fetch, args=[done], daemon=True).start()
                self.flight = done
            return self.flight

    def fetch(self, done):
        start = time.monotonic()
        try:
            held, failed_at = (start, self.load()), float('-inf')
        except Exception as error:
            app.logger.warning('%s', error)
            held, failed_at = self.held, time.monotonic()
        with self.lock:
            self.held, self.failed_at, self.flight = held, failed_at, None
        done.set()

    def younger(self, seconds):
        """What was fetched within that time, or what there is where the provider does not answer."""
        if time.monotonic() - self.held[0] > seconds:
            done = self.refresh()
            if done:
                done.wait(FETCH_SECONDS)
        return self.held


def get(url, accept):
    """The whole answer within the time. What is longer is cut off, and then no signature fits."""
    address = urlsplit(url)
    connect = HTTPSConnection if address.scheme == 'https' else HTTPConnection
    connection = connect(address.netloc, timeout=FETCH_SECONDS)
    connection.connect()
    # The timeout of a socket begins again with each byte.
    limit = threading.Timer(FETCH_SECONDS, connection.sock.shutdown, [SHUT_RDWR])
    limit.daemon = True
    limit.start()
    try:
        connection.request('GET', address.path, headers={'Accept': accept})
        response = connection.getresponse()
        if response.status != 200:
            raise HTTPException(f'{url} answers {response.status}')
        return response.read(MAX_BYTES).decode()
    finally:
        limit.cancel()
        connection.close()


def fetch_keys():
    keys = {}
    for each in json.loads(get(f'{ISSUER}/jwks', 'application/json'))['keys']:
        # The key decides which algorithm it is for.
        kind = (each['kty'], each.get('crv'), each.get('alg'))
        if kind in [('RSA', None, None), ('RSA', None, 'RS256')]:
            keys[each['kid']] = ('RS256', jwt.PyJWK(each, 'RS256').key)
        elif kind in [('EC', 'P-256', None), ('EC', 'P-256', 'ES256')]:
            keys[each['kid']] = ('ES256', jwt.PyJWK(each, 'ES256').key)
    return keys


key_set = Source(fetch_keys)


def key_of(kid):
    at, keys = key_set.held
    if keys and kid in keys:
        if time.monotonic() - at > KEYS_SECONDS:
            key_set.refresh()
        return keys[kid]
    at, keys = key_set.younger(NEW_KEYS_SECONDS)
    if keys and kid in keys:
        return keys[kid]
    if time.monotonic() - at > NEW_KEYS_SECONDS:
        raise Unavailable
    raise jwt.InvalidTokenError('no key of the provider')


def verify(token, typ, required, **expected):
    header = jwt.get_unverified_header(token)
    if header.get('typ') != typ:
        raise jwt.InvalidTokenError('of another type')
    algorithm, key = key_of(header.get('kid'))
    # A clock that is slow by a second must not refuse what was issued just now.
    options = {'require': ['exp', *required], 'verify_iat': False}
    return jwt.decode(token, key, algorithms=[algorithm], options=options, **expected)


def fetch_list(uri):
    token = get(uri, 'application/statuslist+jwt')
    claims = verify(token, 'statuslist+jwt', ['iat', 'sub'])
    if claims['sub'] != uri or claims['iat'] < time.time() - 30:
        raise ValueError(f'{uri} is not a fresh status list')
    if claims['status_list']['bits'] != 1:
        raise ValueError(f'{uri} is not a list of single bits')
    compressed = urlsafe_b64decode(claims['status_list']['lst'] + '==')
    return zlib.decompressobj().decompress(compressed, MAX_BYTES)


lists = {}


def has_ended(claims):
    if not claims['jti'].startswith('impersonation:') or 'status' not in claims:
        return False
    try:
        uri, index = (claims['status']['status_list'][name] for name in ('uri', 'idx'))
        is_list = re.fullmatch(re.escape(ISSUER) + r'/status-lists/[\w-]+', uri, re.ASCII)
    except (KeyError, TypeError):
        return True
    if not is_list or type(index) is not int or index < 0:
        return True
    fetched_at, bits = lists.setdefault(uri, Source(partial(fetch_list, uri))).younger(LIST_SECONDS)
    if time.monotonic() - fetched_at > LIST_SECONDS_AT_MOST:
        raise Unavailable
    return index >= len(bits) * 8 or bits[index >> 3] >> (index & 7) & 1 == 1


class AccessToken(dict):
    """The claims, with the methods that Authlib asks for. `verify` has looked at all of it."""

    def is_expired(self):
        return False

    def is_revoked(self):
        return False

    def get_scope(self):
        return self.get('scope', '')


class AccessTokenValidator(BearerTokenValidator):
    def authenticate_token(self, token_string):
        try:
            claims = verify(
                token_string, 'at+jwt', ['sub', 'jti'], issuer=ISSUER, audience=AUDIENCE
            )
            # RecursionError: the header of a token that nobody signed is as deep as its sender likes.
        except (jwt.PyJWTError, ValueError, RecursionError):
            return None
        if 'cnf' in claims or has_ended(claims):
            return None
        return AccessToken(claims)


require_oauth = ResourceProtector()
require_oauth.register_token_validator(AccessTokenValidator())


@app.errorhandler(Unavailable)
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
