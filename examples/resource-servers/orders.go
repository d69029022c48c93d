package main

import (
	"bytes"
	"compress/zlib"
	"crypto/ecdsa"
	"crypto/elliptic"
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

var (
	issuer   = setting("ISSUER", "https://id.example.com/oidc")
	audience = setting("AUDIENCE", "https://api.example.com")
	client   = &http.Client{
		Timeout:       2 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	errInvalid     = errors.New("invalid token")
	errUnavailable = errors.New("the status list cannot be had")
	isList         = regexp.MustCompile("^" + regexp.QuoteMeta(issuer) + "/status-lists/[A-Za-z0-9_-]+$")
)

type claims struct {
	Iss, Sub, Jti string
	Aud           any
	Exp, Iat      int64
	Act           *struct{ Sub string }
	Cnf           json.RawMessage
	Status        *struct {
		List struct {
			Idx int
			URI string
		} `json:"status_list"`
	}
	List struct {
		Bits int
		Lst  string
	} `json:"status_list"`
}

type held struct {
	at   time.Time
	bits []byte
}

var (
	lock  sync.Mutex
	lists = map[string]held{}
)

func fetchList(uri string) ([]byte, error) {
	token, err := get(uri, "application/statuslist+jwt")
	if err != nil {
		return nil, err
	}
	list, err := verify(string(token), "statuslist+jwt")
	if err != nil || list.Sub != uri || list.Iat < time.Now().Unix()-30 || list.List.Bits != 1 {
		return nil, errInvalid
	}
	compressed, err := base64.RawURLEncoding.DecodeString(list.List.Lst)
	if err != nil {
		return nil, err
	}
	reader, err := zlib.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(reader, 1<<20))
}

func hasEnded(token claims) (bool, error) {
	if !strings.HasPrefix(token.Jti, "impersonation:") || token.Status == nil {
		return false, nil
	}
	uri, index := token.Status.List.URI, token.Status.List.Idx
	if !isList.MatchString(uri) || index < 0 {
		return true, nil
	}
	lock.Lock()
	defer lock.Unlock()
	list, known := lists[uri]
	if start := time.Now(); !known || start.Sub(list.at) > 5*time.Second {
		if bits, err := fetchList(uri); err == nil {
			list = held{start, bits}
			lists[uri] = list
		}
	}
	if time.Since(list.at) > 30*time.Second {
		return false, errUnavailable
	}
	return index/8 >= len(list.bits) || list.bits[index/8]>>(index%8)&1 == 1, nil
}

func authenticate(request *http.Request) (claims, error) {
	kind, token, _ := strings.Cut(request.Header.Get("Authorization"), " ")
	found, err := verify(token, "at+jwt")
	if err != nil || !strings.EqualFold(kind, "Bearer") || found.Iss != issuer ||
		found.Aud != any(audience) || found.Sub == "" || found.Jti == "" || found.Cnf != nil {
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
	key, err := keyOf(header.Kid)
	if err != nil {
		return found, err
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil || len(signature) != 64 || header.Alg != "ES256" || header.Typ != typ {
		return found, errInvalid
	}
	digest := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	r, s := new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])
	if !ecdsa.Verify(key, digest[:], r, s) || found.Exp <= time.Now().Unix() {
		return found, errInvalid
	}
	return found, nil
}

// The keys of the provider, as of this minute.
func keyOf(kid string) (*ecdsa.PublicKey, error) {
	text, err := keySet(time.Now().Unix() / 60)
	if err != nil {
		return nil, err
	}
	var set struct {
		Keys []struct{ Kid, Crv, X, Y string }
	}
	if err := json.Unmarshal(text, &set); err != nil {
		return nil, err
	}
	for _, key := range set.Keys {
		x, errX := base64.RawURLEncoding.DecodeString(key.X)
		y, errY := base64.RawURLEncoding.DecodeString(key.Y)
		if key.Kid == kid && key.Crv == "P-256" && errX == nil && errY == nil {
			point := &ecdsa.PublicKey{Curve: elliptic.P256(), X: new(big.Int).SetBytes(x), Y: new(big.Int).SetBytes(y)}
			return point, nil
		}
	}
	return nil, errInvalid
}

var keys struct {
	sync.Mutex
	minute int64
	text   []byte
}

func keySet(minute int64) ([]byte, error) {
	keys.Lock()
	defer keys.Unlock()
	if keys.minute == minute {
		return keys.text, nil
	}
	text, err := get(issuer+"/jwks", "application/json")
	if err == nil {
		keys.minute, keys.text = minute, text
	}
	if keys.text != nil {
		return keys.text, nil
	}
	return nil, err
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
	return io.ReadAll(io.LimitReader(response.Body, 1<<20))
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
