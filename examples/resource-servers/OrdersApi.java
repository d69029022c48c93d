import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPoint;
import java.security.spec.ECPublicKeySpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.zip.InflaterInputStream;

public class OrdersApi {
  static final String ISSUER = setting("ISSUER", "https://id.example.com/oidc");
  static final String AUDIENCE = setting("AUDIENCE", "https://api.example.com");
  static final HttpClient CLIENT = HttpClient.newHttpClient(); // follows no redirect

  record Held(long at, byte[] bits) {}

  static final Map<String, Held> LISTS = new HashMap<>();

  static class Invalid extends Exception {}

  static class StatusUnavailable extends Exception {}

  static byte[] fetchList(String uri) throws Exception {
    var list = verify(get(uri, "application/statuslist+jwt"), "statuslist+jwt");
    var statuses = (Map<?, ?>) list.get("status_list");
    var oldest = System.currentTimeMillis() / 1000 - 30;
    if (!uri.equals(list.get("sub")) || number(list.get("iat")) < oldest) throw new Invalid();
    if (number(statuses.get("bits")) != 1) throw new Invalid();
    var compressed = Base64.getUrlDecoder().decode((String) statuses.get("lst"));
    try (var inflated = new InflaterInputStream(new ByteArrayInputStream(compressed))) {
      return inflated.readNBytes(1 << 20);
    }
  }

  static synchronized boolean hasEnded(Map<?, ?> claims) throws StatusUnavailable {
    if (!((String) claims.get("jti")).startsWith("impersonation:")) return false;
    if (!(claims.get("status") instanceof Map<?, ?> status)) return false;
    var reference = (Map<?, ?>) status.get("status_list");
    var uri = (String) reference.get("uri");
    var index = (int) number(reference.get("idx"));
    var name = uri.startsWith(ISSUER + "/status-lists/") ? uri.substring(ISSUER.length() + 14) : "";
    if (!name.matches("[A-Za-z0-9_-]+") || index < 0) return true;
    var start = System.nanoTime();
    if (!LISTS.containsKey(uri) || start - LISTS.get(uri).at() > 5_000_000_000L) {
      try {
        LISTS.put(uri, new Held(start, fetchList(uri)));
      } catch (Exception error) {
        System.err.println(uri + ": " + error);
      }
    }
    var held = LISTS.get(uri);
    if (held == null || System.nanoTime() - held.at() > 30_000_000_000L) throw new StatusUnavailable();
    return index / 8 >= held.bits().length || (held.bits()[index / 8] >> (index % 8) & 1) == 1;
  }

  static Map<String, Object> authenticate(HttpExchange exchange) throws Exception {
    var authorization = exchange.getRequestHeaders().getFirst("Authorization");
    if (authorization == null || !authorization.matches("(?i)Bearer \\S+")) throw new Invalid();
    var claims = verify(authorization.substring(7), "at+jwt");
    if (!ISSUER.equals(claims.get("iss")) || !AUDIENCE.equals(claims.get("aud"))) throw new Invalid();
    if (!(claims.get("sub") instanceof String) || !(claims.get("jti") instanceof String)) throw new Invalid();
    if (claims.containsKey("cnf") || hasEnded(claims)) throw new Invalid();
    return claims;
  }

  static Map<String, Object> verify(String token, String type) throws Exception {
    var parts = token.split("\\.");
    if (parts.length != 3) throw new Invalid();
    var header = Json.object(decode(parts[0]));
    if (!"ES256".equals(header.get("alg")) || !type.equals(header.get("typ"))) throw new Invalid();
    var signature = Signature.getInstance("SHA256withECDSAinP1363Format");
    signature.initVerify(key((String) header.get("kid")));
    signature.update((parts[0] + "." + parts[1]).getBytes());
    if (!signature.verify(Base64.getUrlDecoder().decode(parts[2]))) throw new Invalid();
    var claims = Json.object(decode(parts[1]));
    if (number(claims.get("exp")) <= System.currentTimeMillis() / 1000) throw new Invalid();
    return claims;
  }

  static String keySet;
  static long fetchedAt;

  /** A key of the provider; they are fetched once a minute. */
  static synchronized PublicKey key(String kid) throws Exception {
    if (keySet == null || System.nanoTime() - fetchedAt > 60_000_000_000L) {
      try {
        keySet = get(ISSUER + "/jwks", "application/json");
        fetchedAt = System.nanoTime();
      } catch (IOException error) {
        if (keySet == null) throw error;
      }
    }
    for (var each : (List<?>) Json.object(keySet).get("keys")) {
      var jwk = (Map<?, ?>) each;
      if (!kid.equals(jwk.get("kid")) || !"P-256".equals(jwk.get("crv"))) continue;
      var parameters = AlgorithmParameters.getInstance("EC");
      parameters.init(new ECGenParameterSpec("secp256r1"));
      var point = new ECPoint(coordinate(jwk.get("x")), coordinate(jwk.get("y")));
      var curve = parameters.getParameterSpec(ECParameterSpec.class);
      return KeyFactory.getInstance("EC").generatePublic(new ECPublicKeySpec(point, curve));
    }
    throw new Invalid();
  }

  static BigInteger coordinate(Object text) {
    return new BigInteger(1, Base64.getUrlDecoder().decode((String) text));
  }

  static String get(String url, String accept) throws IOException, InterruptedException {
    var request = HttpRequest.newBuilder(URI.create(url)).timeout(Duration.ofSeconds(2));
    var response = CLIENT.send(request.header("Accept", accept).build(), BodyHandlers.ofString());
    if (response.statusCode() != 200) throw new IOException(url + " answers " + response.statusCode());
    return response.body();
  }

  static String decode(String part) {
    return new String(Base64.getUrlDecoder().decode(part));
  }

  static long number(Object value) {
    return value instanceof Double number ? number.longValue() : -1;
  }

  static String setting(String name, String otherwise) {
    return System.getenv().getOrDefault(name, otherwise);
  }

  public static void main(String[] arguments) throws IOException {
    var port = Integer.parseInt(setting("PORT", "8080"));
    var server = HttpServer.create(new InetSocketAddress(port), 0);
    server.setExecutor(Executors.newFixedThreadPool(16));
    server.createContext("/", OrdersApi::answer);
    server.start();
  }

  static void answer(HttpExchange exchange) throws IOException {
    var body = "";
    var status = 200;
    try {
      var claims = authenticate(exchange);
      var actor = claims.get("act") instanceof Map<?, ?> act ? act.get("sub") : null;
      var isActedFor = actor != null || ((String) claims.get("jti")).startsWith("impersonation:");
      if (exchange.getRequestURI().getPath().equals("/email")) status = isActedFor ? 403 : 204;
      else {
        var seenBy = actor == null ? "" : ",\"seenBy\":" + Json.text((String) actor);
        body = "{\"ordersOf\":" + Json.text((String) claims.get("sub")) + seenBy + "}";
      }
    } catch (StatusUnavailable | IOException unavailable) {
      exchange.getResponseHeaders().set("Retry-After", "1");
      status = 503;
    } catch (Exception invalid) {
      exchange.getResponseHeaders().set("WWW-Authenticate", "Bearer error=\"invalid_token\"");
      status = 401;
    }
    exchange.sendResponseHeaders(status, body.isEmpty() ? -1 : body.getBytes().length);
    if (!body.isEmpty()) exchange.getResponseBody().write(body.getBytes());
    exchange.close();
  }

  /** As much JSON as tokens and keys need; a JSON library of yours does the same. */
  static class Json {
    final String text;
    int at = 0;

    Json(String text) {
      this.text = text;
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> object(String text) {
      return (Map<String, Object>) new Json(text).value();
    }

    static String text(String value) {
      return "\"" + value.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
    }

    char next() {
      while (Character.isWhitespace(text.charAt(at))) at++;
      return text.charAt(at);
    }

    Object value() {
      switch (next()) {
        case '{' -> {
          var members = new HashMap<String, Object>();
          for (at++; next() != '}'; skipComma()) {
            var name = (String) value();
            if (next() != ':') throw new IllegalArgumentException(text);
            at++;
            members.put(name, value());
          }
          at++;
          return members;
        }
        case '[' -> {
          var items = new ArrayList<Object>();
          for (at++; next() != ']'; skipComma()) items.add(value());
          at++;
          return items;
        }
        case '"' -> {
          return string();
        }
        default -> {
          var start = at;
          while (at < text.length() && ",]} \n\r\t".indexOf(text.charAt(at)) < 0) at++;
          var word = text.substring(start, at);
          if (word.equals("null")) return null;
          if (word.equals("true") || word.equals("false")) return word.equals("true");
          return Double.valueOf(word);
        }
      }
    }

    void skipComma() {
      if (next() == ',') at++;
    }

    String string() {
      var result = new StringBuilder();
      for (at++; text.charAt(at) != '"'; at++) {
        var character = text.charAt(at);
        if (character == '\\') {
          character = text.charAt(++at);
          var escape = "bfnrt".indexOf(character);
          if (escape >= 0) character = "\b\f\n\r\t".charAt(escape);
          else if (character == 'u') {
            character = (char) Integer.parseInt(text.substring(at + 1, at + 5), 16);
            at += 4;
          }
        }
        result.append(character);
      }
      at++;
      return result.toString();
    }
  }
}
