"""Signs in at an OpenID issuer with Authlib: code flow with PKCE, ID token, refresh. Prints what it got as JSON.

Usage: with_authlib.py ISSUER CLIENT CALLBACK RESOURCE
"""

import json
import sys
from urllib.parse import urljoin

from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session
from authlib.jose import JsonWebKey, jwt

issuer, client_id, callback, resource = sys.argv[1:]
session = OAuth2Session(
    client_id,
    redirect_uri=callback,
    scope="openid email offline_access network.read",
    code_challenge_method="S256",
    token_endpoint_auth_method="none",
)
about = session.request("GET", issuer + "/.well-known/openid-configuration", withhold_token=True).json()
verifier = generate_token(48)
nonce = generate_token(20)
url, state = session.create_authorization_url(
    about["authorization_endpoint"], code_verifier=verifier, nonce=nonce, resource=resource, prompt="consent"
)
while not url.startswith(callback):
    answer = session.request("GET", url, withhold_token=True, allow_redirects=False)
    if "location" not in answer.headers:
        raise SystemExit(f"{url} answered {answer.status_code} without a redirect: {answer.text}")
    url = urljoin(url, answer.headers["location"])
first = session.fetch_token(
    about["token_endpoint"], authorization_response=url, state=state, code_verifier=verifier, resource=resource
)
keys = JsonWebKey.import_key_set(session.request("GET", about["jwks_uri"], withhold_token=True).json())
claims = jwt.decode(
    first["id_token"],
    keys,
    claims_options={"iss": {"essential": True, "value": issuer}, "aud": {"essential": True, "value": client_id}},
)
claims.validate()
second = session.refresh_token(about["token_endpoint"], refresh_token=first["refresh_token"], resource=resource)
print(
    json.dumps(
        {
            "nonce": claims["nonce"] == nonce,
            "subject": claims["sub"],
            "audience": jwt.decode(second["access_token"], keys)["aud"],
            "rotated": second["refresh_token"] != first["refresh_token"],
            "scope": second["scope"],
        }
    )
)
