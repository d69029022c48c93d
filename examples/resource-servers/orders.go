package main

import (
	"bytes"
	"compress/zlib"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"math/big"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"
)

const (
	keysFor    = 60 * time.Second // then the keys are fetched again, in the background
	newKeysFor = 10 * time.Second // a key that younger keys do not have is no key of the provider
	listFor    = 5 * time.Second  // then a request waits for the next list
	listAtMost = 30 * time.Second // what a list is believed for in an outage
	fetchFor   = 2 * time.Second
	retryAfter = 1 * time.Second
	maxBytes   = 1 << 20
)

var (
	issuer   = setting("ISSUER", "https://id.example.com/oidc")
	audience = setting("AUDIENCE", "https://api.example.com")
	client   = &http.Client{
		Timeout:       fetchFor, // headers and body
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	errInvalid     = errors.New("invalid token")
	errUnavailable = errors.New("the keys or the status list cannot be had")
	isList         = regexp.MustCompile("^" + regexp.QuoteMeta(issuer) + "/status-lists/[A-Za-z0-9_-]+$")
)

type claims struct {
	Iss, Sub, Jti string
	Aud           any
	Exp, Iat      int64
	Act           *struct{ Sub string }
	Cnf, Status   json.RawMessage
	List          struct {
		Bits int
		Lst  string
	} `json:"status_list"`
}

// What the provider publishes at one address. No lock is held over a fetch.
type source[T any] struct {
	load   func() (T, error)
	lock   sync.Mutex
	value  T
	at     time.Time // when the fetch of the value began
	failed time.Time
	flight chan struct{}
}

func (s *source[T]) held() (T, time.Time) {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.value, s.at
}

// Begins a fetch, unless one is under way or has just failed, and answers what to wait for.
func (s *source[T]) refresh() <-chan struct{} {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.flight == nil && time.Since(s.failed) > retryAfter {
		s.flight = make(chan struct{})
		go s.fetch(s.flight)
	}
	return s.flight
}

func (s *source[T]) fetch(done chan struct{}) {
	start := time.Now()
	value, err := s.load()
	s.lock.Lock()
	defer s.lock.Unlock()
	if err == nil {
		s.value, s.at = value, start
	} else {
		s.failed = time.Now()
		log.Print(err)
	}
	s.flight = nil
	close(done)
}

// What was fetched within that time, or what there is where the provider does not answer.
func (s *source[T]) younger(than time.Duration) (T, time.Time) {
	if value, at := s.held(); time.Since(at) <= than {
		return value, at
	}
	if done := s.refresh(); done != nil {
		select {
		case <-done:
		case <-time.After(fetchFor):
		}
	}
	return s.held()
}

var (
	keys      = &source[map[string]any]{load: fetchKeys}
	lists     = map[string]*source[[]byte]{}
	listsLock sync.Mutex
)

func listAt(uri string) *source[[]byte] {
	listsLock.Lock()
	defer listsLock.Unlock()
	if lists[uri] == nil {
		lists[uri] = &source[[]byte]{load: func() ([]byte, error) { return fetchList(uri) }}
	}
	return lists[uri]
}

func fetchList(uri string) ([]byte, error) {
	token, err := get(uri, "application/statuslist+jwt")
	if err != nil {
		return nil, err
	}
	list, err := verify(string(token), "statuslist+jwt")
	if err != nil || list.Sub != uri || list.Iat < time.Now().Unix()-30 || list.List.Bits != 1 {
		return nil, fmt.Errorf("%s is no fresh status list", uri)
	}
	compressed, err := base64.RawURLEncoding.DecodeString(list.List.Lst)
	if err != nil {
		return nil, err
	}
	reader, err := zlib.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(reader, maxBytes))
}

func hasEnded(token claims) (bool, error) {
	if !strings.HasPrefix(token.Jti, "impersonation:") || token.Status == nil {
		return false, nil
	}
	var status struct {
		List struct {
			Idx *int64
			URI string
		} `json:"status_list"`
	}
	err := json.Unmarshal(token.Status, &status)
	index := status.List.Idx
	if err != nil || index == nil || *index < 0 || !isList.MatchString(status.List.URI) {
		return true, nil
	}
	bits, at := listAt(status.List.URI).younger(listFor)
	if time.Since(at) > listAtMost {
		return false, errUnavailable
	}
	return *index/8 >= int64(len(bits)) || bits[*index/8]>>(*index%8)&1 == 1, nil
}

func authenticate(request *http.Request) (found claims, err error) {
	kind, token, _ := strings.Cut(request.Header.Get("Authorization"), " ")
	if !strings.EqualFold(kind, "Bearer") {
		return found, errInvalid
	}
	if found, err = verify(token, "at+jwt"); err != nil {
		return found, err
	}
	if found.Iss != issuer || found.Aud != any(audience) || found.Sub == "" || found.Jti == "" ||
		found.Cnf != nil {
		return found, errInvalid
	}
	ended, err := hasEnded(found)
	if ended {
		return found, errInvalid
	}
	return found, err
}

func verify(token, typ string) (found claims, err error) {
	parts := strings.Split(token, ".")
	var header struct{ Alg, Typ, Kid string }
	if len(parts) != 3 || decode(parts[0], &header) != nil || decode(parts[1], &found) != nil {
		return found, errInvalid
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil || header.Typ != typ {
		return found, errInvalid
	}
	key, err := keyOf(header.Kid)
	if err != nil {
		return found, err
	}
	digest := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	if !isSigned(key, header.Alg, digest[:], signature) || found.Exp <= time.Now().Unix() {
		return found, errInvalid
	}
	return found, nil
}

// The key decides which algorithm it is for.
func isSigned(key any, alg string, digest, signature []byte) bool {
	switch public := key.(type) {
	case *rsa.PublicKey:
		return alg == "RS256" && rsa.VerifyPKCS1v15(public, crypto.SHA256, digest, signature) == nil
	case *ecdsa.PublicKey:
		if alg != "ES256" || len(signature) != 64 {
			return false
		}
		r, s := new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])
		return ecdsa.Verify(public, digest, r, s)
	}
	return false
}

func keyOf(kid string) (any, error) {
	set, at := keys.held()
	if key, known := set[kid]; known {
		if time.Since(at) > keysFor {
			keys.refresh()
		}
		return key, nil
	}
	set, at = keys.younger(newKeysFor)
	if key, known := set[kid]; known {
		return key, nil
	}
	if time.Since(at) > newKeysFor {
		return nil, errUnavailable
	}
	return nil, errInvalid
}

func fetchKeys() (map[string]any, error) {
	text, err := get(issuer+"/jwks", "application/json")
	if err != nil {
		return nil, err
	}
	var set struct {
		Keys []struct{ Kid, Kty, Crv, Alg, N, E, X, Y string }
	}
	if err := json.Unmarshal(text, &set); err != nil {
		return nil, err
	}
	found := map[string]any{}
	for _, key := range set.Keys {
		switch {
		case key.Kty == "RSA" && (key.Alg == "" || key.Alg == "RS256"):
			found[key.Kid] = &rsa.PublicKey{N: integer(key.N), E: int(integer(key.E).Int64())}
		case key.Kty == "EC" && key.Crv == "P-256":
			found[key.Kid] = &ecdsa.PublicKey{Curve: elliptic.P256(), X: integer(key.X), Y: integer(key.Y)}
		}
	}
	return found, nil
}

func integer(text string) *big.Int {
	bytes, _ := base64.RawURLEncoding.DecodeString(text)
	return new(big.Int).SetBytes(bytes)
}

func get(url, accept string) ([]byte, error) {
	request, err := http.NewRequest("GET", url, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", accept)
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != 200 {
		return nil, fmt.Errorf("%s answers %s", url, response.Status)
	}
	return io.ReadAll(io.LimitReader(response.Body, maxBytes))
}

func decode(part string, into any) error {
	text, err := base64.RawURLEncoding.DecodeString(part)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

func setting(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

func main() {
	http.HandleFunc("/", func(response http.ResponseWriter, request *http.Request) {
		token, err := authenticate(request)
		isActedFor := token.Act != nil || strings.HasPrefix(token.Jti, "impersonation:")
		switch {
		case err == errInvalid:
			response.Header().Set("WWW-Authenticate", `Bearer error="invalid_token"`)
			response.WriteHeader(401)
		case err != nil: // the keys or the list cannot be had
			response.Header().Set("Retry-After", "1")
			response.WriteHeader(503)
		case request.URL.Path == "/email" && isActedFor:
			response.WriteHeader(403)
		case request.URL.Path == "/email":
			response.WriteHeader(204)
		default:
			orders := map[string]string{"ordersOf": token.Sub}
			if token.Act != nil {
				orders["seenBy"] = token.Act.Sub
			}
			json.NewEncoder(response).Encode(orders)
		}
	})
	log.Fatal(http.ListenAndServe(":"+setting("PORT", "8080"), nil))
}
