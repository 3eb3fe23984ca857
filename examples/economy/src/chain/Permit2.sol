// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

struct TokenPermissions {
    address token;
    uint256 amount;
}

struct PermitTransferFrom {
    TokenPermissions permitted;
    uint256 nonce;
    uint256 deadline;
}

struct SignatureTransferDetails {
    address to;
    uint256 requestedAmount;
}

interface IWallet {
    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4);
}

interface IToken {
    function transferFrom(address from, address to, uint256 value) external returns (bool);
}

/// Permit2 for local chains: signed transfers with a witness, and nonces in any order.
/// Source of the interface: docs.uniswap.org/contracts/permit2/reference/signature-transfer.
contract Permit2 {
    bytes32 private constant DOMAIN_TYPEHASH =
        keccak256("EIP712Domain(string name,uint256 chainId,address verifyingContract)");
    bytes32 private constant TOKEN_TYPEHASH = keccak256("TokenPermissions(address token,uint256 amount)");
    string private constant STUB =
        "PermitWitnessTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline,";

    /// Each word holds the used bits of 256 nonces.
    mapping(address => mapping(uint256 => uint256)) public nonceBitmap;

    error SignatureExpired(uint256 deadline);
    error InvalidAmount(uint256 maxAmount);
    error InvalidNonce();
    error InvalidSigner();

    function DOMAIN_SEPARATOR() public view returns (bytes32) {
        return keccak256(abi.encode(DOMAIN_TYPEHASH, keccak256("Permit2"), block.chainid, address(this)));
    }

    function invalidateUnorderedNonces(uint256 wordPos, uint256 mask) external {
        nonceBitmap[msg.sender][wordPos] |= mask;
    }

    function permitWitnessTransferFrom(
        PermitTransferFrom calldata permit,
        SignatureTransferDetails calldata details,
        address owner,
        bytes32 witness,
        string calldata witnessTypeString,
        bytes calldata signature
    ) external {
        if (block.timestamp > permit.deadline) revert SignatureExpired(permit.deadline);
        if (details.requestedAmount > permit.permitted.amount) revert InvalidAmount(permit.permitted.amount);
        uint256 bit = 1 << (permit.nonce & 0xff);
        uint256 word = permit.nonce >> 8;
        if (nonceBitmap[owner][word] & bit != 0) revert InvalidNonce();
        nonceBitmap[owner][word] |= bit;
        _requireSignature(owner, _hash(permit, witness, witnessTypeString), signature);
        IToken(permit.permitted.token).transferFrom(owner, details.to, details.requestedAmount);
    }

    function _hash(PermitTransferFrom calldata permit, bytes32 witness, string calldata witnessTypeString)
        private
        view
        returns (bytes32)
    {
        bytes32 permitted =
            keccak256(abi.encode(TOKEN_TYPEHASH, permit.permitted.token, permit.permitted.amount));
        bytes32 typehash = keccak256(abi.encodePacked(STUB, witnessTypeString));
        bytes32 structHash =
            keccak256(abi.encode(typehash, permitted, msg.sender, permit.nonce, permit.deadline, witness));
        return keccak256(abi.encodePacked("\x19\x01", DOMAIN_SEPARATOR(), structHash));
    }

    function _requireSignature(address owner, bytes32 digest, bytes calldata signature) private view {
        if (owner.code.length > 0) {
            if (IWallet(owner).isValidSignature(digest, signature) != 0x1626ba7e) revert InvalidSigner();
            return;
        }
        address signer =
            ecrecover(digest, uint8(signature[64]), bytes32(signature[:32]), bytes32(signature[32:64]));
        if (signer == address(0) || signer != owner) revert InvalidSigner();
    }
}

/// The x402 proxy for `upto`: transfers at most the permitted amount, to the receiver in the witness, for its facilitator.
/// Source of the interface: x402UptoPermit2ProxyABI in the x402 package for EVM networks.
contract UptoProxy {
    struct Witness {
        address to;
        address facilitator;
        uint256 validAfter;
    }

    Permit2 public constant PERMIT2 = Permit2(0x000000000022D473030F116dDEE9F6B43aC78BA3);
    string public constant WITNESS_TYPE_STRING =
        "Witness witness)TokenPermissions(address token,uint256 amount)Witness(address to,address facilitator,uint256 validAfter)";
    bytes32 public constant WITNESS_TYPEHASH =
        keccak256("Witness(address to,address facilitator,uint256 validAfter)");

    event Settled();

    error AmountExceedsPermitted();
    error PaymentTooEarly();
    error UnauthorizedFacilitator();

    function settle(
        PermitTransferFrom calldata permit,
        uint256 amount,
        address owner,
        Witness calldata witness,
        bytes calldata signature
    ) external {
        if (amount > permit.permitted.amount) revert AmountExceedsPermitted();
        if (msg.sender != witness.facilitator) revert UnauthorizedFacilitator();
        if (block.timestamp < witness.validAfter) revert PaymentTooEarly();
        bytes32 witnessHash =
            keccak256(abi.encode(WITNESS_TYPEHASH, witness.to, witness.facilitator, witness.validAfter));
        SignatureTransferDetails memory details = SignatureTransferDetails(witness.to, amount);
        PERMIT2.permitWitnessTransferFrom(permit, details, owner, witnessHash, WITNESS_TYPE_STRING, signature);
        emit Settled();
    }
}
